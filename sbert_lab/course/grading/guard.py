"""What an answer changed in modules that are not its own, and putting it back.

An answer that replaces torch.allclose, or a check, would be judged by its own rules. Before it runs
we note what the modules hold; afterwards we put everything back and say what was changed.
"""

import sys
from types import FunctionType, ModuleType

PYTHON = ("builtins", "copy", "dis", "functools", "inspect", "io", "math", "operator", "os", "sys")
ARRAYS = ("numpy", "numpy.linalg", "torch", "torch.nn", "torch.nn.functional", "torch.linalg")
OTHERS = (*PYTHON, *ARRAYS, "torch.testing")
CLASSES = (("torch", "Tensor"), ("torch.nn", "Module"))
FREE = {"sys": {"stdout", "stderr", "stdin", "last_value", "last_type", "last_traceback", "path"}}
_PARTS = ("__code__", "__defaults__", "__kwdefaults__", "__closure__")


class Guard:
    """The contents of our modules, and of some that every check leans on, at one moment."""

    def __init__(self) -> None:
        self.modules = {
            name: module
            for name, module in list(sys.modules.items())
            if isinstance(module, ModuleType)
            and (name in OTHERS or name.split(".")[0] == "sbert_lab")
        }
        self.contents = {name: dict(vars(module)) for name, module in self.modules.items()}
        own = [content for name, content in self.contents.items() if name.startswith("sbert_lab")]
        ours = [value for content in own for value in content.values()]
        others = [vars(self.modules[n])[c] for n, c in CLASSES if n in self.modules]
        self.classes = [(c, dict(vars(c))) for c in (*ours, *others) if isinstance(c, type)]
        every = [value for content in self.contents.values() for value in content.values()]
        functions = {id(f): f for f in every if isinstance(f, FunctionType)}
        for outer in every:  # what a check or NumPy's dispatcher calls in the end
            for name in ("verdict", "__wrapped__"):
                if isinstance(kept := _own(outer).get(name), FunctionType):
                    functions[id(kept)] = kept
        self.functions = [
            (f, dict(vars(f)), tuple(getattr(f, part) for part in _PARTS))
            for f in functions.values()
        ]

    def restore(self) -> list[str]:
        """Put everything back; the names of what had been changed."""
        changed = []
        for name in [n for n in sys.modules if n.split(".")[0] == "sbert_lab"]:
            if name not in self.modules and not _is_real(sys.modules[name]):
                del sys.modules[name]
                changed.append(name)
        for name, module in self.modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
                changed.append(name)
            changed += [f"{name}.{key}" for key in self._put_back(name, module)]
        changed += [f"{owner.__name__}.{key}" for owner, key in self._put_back_classes()]
        return changed + self._put_back_functions()

    def _put_back(self, name: str, module: ModuleType) -> list[str]:
        now, then, free = vars(module), self.contents[name], FREE.get(name, set())
        different = [k for k, v in then.items() if now.get(k) is not v]
        for key in different:
            now[key] = then[key]
        return [k for k in different if k not in free and not k.startswith("__")]

    def _put_back_classes(self) -> list[tuple[type, str]]:
        found = []
        for owner, then in self.classes:
            for key, value in then.items():
                if vars(owner).get(key) is not value and key not in ("__dict__", "__weakref__"):
                    setattr(owner, key, value)
                    if callable(value):  # checks keep counts in their own classes
                        found.append((owner, key))
            inherited = {key for base in owner.__mro__[1:] for key in vars(base)}
            added = [k for k, v in vars(owner).items() if k not in then and callable(v)]
            added = [k for k in added if k in inherited]  # transformers adds names of its own
            for key in added:
                delattr(owner, key)
                found.append((owner, key))
        return found

    def _put_back_functions(self) -> list[str]:
        found = []
        for function, attributes, parts in self.functions:
            same = all(getattr(function, p) is v for p, v in zip(_PARTS, parts, strict=True))
            # torch notes things on its own functions
            ours = str(function.__module__).split(".")[0] == "sbert_lab"
            if same and (not ours or vars(function) == attributes):
                continue
            function.__code__, function.__defaults__, function.__kwdefaults__ = parts[:3]
            vars(function).clear()
            vars(function).update(attributes)
            found.append(function.__qualname__)
        return found


def _own(value: object) -> dict:
    """The attributes it holds itself: asking for others can import half a library."""
    found = getattr(value, "__dict__", None)
    return found if isinstance(found, dict) else {}


def _is_real(module: object) -> bool:
    """Whether a module was read from a file of the package."""
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    return bool(origin) and origin == getattr(module, "__file__", None)
