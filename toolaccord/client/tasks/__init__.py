"""Calls that become tasks: handles that wait, show progress, answer questions and cancel."""

from toolaccord.client.task_states import TaskProgress, TaskState, TaskStatus
from toolaccord.client.tasks.handle import TaskHandle

__all__ = ["TaskHandle", "TaskProgress", "TaskState", "TaskStatus"]
