"""Stops LLM agents from going in circles: a client of the Unloop guard.

`Unloop` asks a guard that runs, `start` starts one. Hooks for frameworks: `unloop.langchain`, `unloop.agents`,
`unloop.litellm`.
"""

from .client import Decision, Respond, Unloop, UnloopError
from .start import start

__all__ = ["Decision", "Respond", "Unloop", "UnloopError", "start"]
