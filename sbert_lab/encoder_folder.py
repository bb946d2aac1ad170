"""The folder of a saved encoder: sentence-transformers opens ours, and we open theirs."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from sbert_lab.errors import CheckpointError, DataError, InputError, OutOfReachError, choices
from sbert_lab.files import read_json, read_sealed, seal, write_json
from sbert_lab.network import check_file, patiently, reason, require_reach
from sbert_lab.paths import data_dir
from sbert_lab.pooling import POOLERS
from sbert_lab.profiles import PUBLIC

DIGESTS = "sbert_lab.json"
_HUB_ID = re.compile(r"^(?P<id>[\w.-]+/[\w.-]+?)(?:@(?P<revision>\w+))?$")
_MODULES = {"Transformer", "Pooling", "Normalize"}
_FLAGS = {  # ours and sentence-transformers' names of a pooling
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "max": "pooling_mode_max_tokens",
}
CONVERT = """{name} has no safetensors file: other weight formats can run code and are not opened.
If you trust it, convert it once in Python, on any machine, and name the new folder instead:
    from transformers import BertModel, BertTokenizerFast
    for part in (BertModel, BertTokenizerFast):
        part.from_pretrained({source}).save_pretrained("converted/{to}")"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a folder says about itself besides its weights."""

    pooling: str | None = None
    normalize: bool = False
    max_length: int | None = None
    lower_case: bool = False


def find_folder(name_or_path: str | Path, revision: str | None = None) -> Path:
    """A folder, a short name, or a hub id pinned to a revision -> a local folder."""
    if Path(name_or_path).is_dir():
        return _checked(Path(name_or_path))
    text = PUBLIC.get(str(name_or_path), str(name_or_path))
    models = data_dir("models")
    if (models / text).is_dir() and text not in ("", ".", ".."):
        return _checked(models / text)
    match = _HUB_ID.match(text)
    if match and not text.startswith((".", "/", "~")):
        pinned = match["revision"] or revision
        return _checked(_download(match["id"], pinned), match["id"], revision=pinned)
    names = choices(p.parent.name for p in models.glob("*/config.json")) or "none yet"
    raise InputError(
        f"no model {text!r}: give a folder, a name in data/models ({names}), one of the hub's "
        f"({choices(PUBLIC)}), or a hub id with its revision such as "
        "'google-bert/bert-base-uncased@<40 digits>'"
    )


def _checked(folder: Path, name: str | None = None, **pinned: str) -> Path:
    """`name` and `revision`, if the folder came from the hub."""
    name = name or str(folder)
    if not (folder / "config.json").is_file():
        raise CheckpointError(f"{name} has no config.json: it is not a saved model")
    if not any(folder.glob("*.safetensors")):
        source = ", ".join([repr(name), *(f"{key}={value!r}" for key, value in pinned.items())])
        raise CheckpointError(CONVERT.format(name=name, source=source, to=Path(name).name))
    if (folder / DIGESTS).is_file():
        way_out = f"restore it, or delete {DIGESTS} there if you changed it on purpose"
        read_sealed(folder, DIGESTS, kind="a saved model", way_out=way_out)
    return folder


def _download(hub_id: str, revision: str | None) -> Path:
    if not revision or not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise InputError(
            f"{hub_id!r} is a hub id and needs a full revision (40 hex digits), got {revision!r}: "
            f"write '{hub_id}@<revision>' so that everybody gets the same weights (its page on the "
            "hub lists them under Files, History)"
        )
    from huggingface_hub import snapshot_download, try_to_load_from_cache

    kept = ["*.json", "*.txt", "*.safetensors", "*.model"]

    def ask() -> Path:
        folder = Path(snapshot_download(hub_id, revision=revision, allow_patterns=kept))
        for file in (path for path in folder.rglob("*") if path.is_file()):
            check_file(file)
        return folder

    try:
        if not isinstance(try_to_load_from_cache(hub_id, "config.json", revision=revision), str):
            require_reach(hub_id, revision, kind="model")
        return patiently(hub_id, ask)
    except DataError as error:
        raise CheckpointError(f"{hub_id}@{revision[:7]}: {error}") from error
    except Exception as error:  # the hub's client raises a dozen kinds
        raise OutOfReachError(
            f"cannot get {hub_id} from the hub (revision {revision[:7]}: {reason(error)}): connect "
            "to the internet and try again, or use a model that is here, such as 'mini-bert'"
        ) from error


# ---- reading


def read_settings(folder: Path) -> Settings:
    """Pooling, normalisation and length of a folder written by us or by sentence-transformers."""
    bert = _optional(folder / "sentence_bert_config.json")
    found = {
        "max_length": bert.get("max_seq_length"),
        "lower_case": bert.get("do_lower_case", False),
    }
    modules = _optional(folder / "modules.json", default=[])
    if not isinstance(bert, dict) or not isinstance(modules, list):
        raise CheckpointError(f"{folder}: modules.json or sentence_bert_config.json is broken")
    for module in modules:
        if not isinstance(module, dict) or not isinstance(module.get("path", ""), str):
            raise CheckpointError(f"{folder / 'modules.json'} is broken: {module!r} is no module")
        kind = str(module.get("type", "")).rsplit(".", 1)[-1]
        if kind not in _MODULES:
            raise CheckpointError(
                f"{folder} has a module {module.get('type')!r}: only {choices(_MODULES)} are known "
                "here; open it with sentence-transformers instead"
            )
        if kind == "Pooling":
            found["pooling"] = _read_pooling(folder / module.get("path", "1_Pooling"))
        elif kind == "Normalize":
            found["normalize"] = True
    if not isinstance(found["max_length"], int | None):
        raise CheckpointError(f"{folder}: the longest input is {found['max_length']!r}")
    return Settings(**found)


def _optional(path: Path, default: object = None) -> object:
    return read_json(path) if path.is_file() else ({} if default is None else default)


def _read_pooling(folder: Path) -> str:
    config = read_json(folder / "config.json")
    if not isinstance(config, dict):
        raise CheckpointError(f"{folder / 'config.json'} is broken: it should hold a mapping")
    modes = config.get("pooling_mode")
    if modes is None:
        modes = [key for key, value in config.items() if key.startswith("pooling_mode_") and value]
        names = {flag: name for name, flag in _FLAGS.items()}
        modes = [names.get(mode, mode) for mode in modes]
    modes = modes if isinstance(modes, list) else [modes]
    if len(modes) != 1 or not isinstance(modes[0], str) or modes[0] not in POOLERS:
        raise CheckpointError(
            f"{folder} pools by {', '.join(map(str, modes)) or 'nothing'}: "
            f"only one of {choices(POOLERS)} is known here"
        )
    return modes[0]


# ---- writing


def write_settings(folder: Path, settings: Settings, width: int) -> None:
    """The long-standing schema, which every version of sentence-transformers reads."""
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
    if settings.normalize:
        modules.append(("2_Normalize", "Normalize"))
    for path, _ in modules[1:]:
        (folder / path).mkdir()
    entries = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(modules)
    ]
    write_json(folder / "modules.json", entries)
    flags = {flag: settings.pooling == name for name, flag in _FLAGS.items()}
    flags["pooling_mode_mean_sqrt_len_tokens"] = False
    write_json(folder / "1_Pooling/config.json", {"word_embedding_dimension": width, **flags})
    lengths = {"max_seq_length": settings.max_length, "do_lower_case": settings.lower_case}
    write_json(folder / "sentence_bert_config.json", lengths)
    about = {"prompts": {}, "default_prompt_name": None, "similarity_fn_name": "cosine"}
    write_json(folder / "config_sentence_transformers.json", about)


def tidy_tokenizer_config(folder: Path, max_length: int) -> None:
    """Name the tokenizer class that every version of transformers knows, and the length limit."""
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    if config.get("tokenizer_class") == "TokenizersBackend":
        config["tokenizer_class"] = "PreTrainedTokenizerFast"
    config = {
        k: v for k, v in config.items() if k not in ("is_local", "local_files_only", "backend")
    }
    write_json(path, {**config, "model_max_length": max_length})


def write_digests(folder: Path) -> None:
    """Remember every file's sha256, so that a later change is noticed."""
    seal(folder, DIGESTS, pattern="**/*")
