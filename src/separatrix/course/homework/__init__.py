"""Homework on the lab's page: tasks, and how what students hand in is graded.

A task is a JSON file: points, a question, and what is asked. The page checks an answer by computing
it again, and writes a file to hand in; `grade` runs every one of these again in the library.
"""

from separatrix.course.homework.grading import Grade, grade, grades_csv, grades_of
from separatrix.course.homework.tasks import Task, built_in, read_task
