"""Learning: definitions out of messages."""

from __future__ import annotations

from xregit.document.learning.learner import LearnReport, learn

__all__ = ["LearnReport", "learn"]
