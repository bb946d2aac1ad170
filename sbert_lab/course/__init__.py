"""The course: checks and figures of one notebook in one module (nb00 .. nb17), and their tools."""
