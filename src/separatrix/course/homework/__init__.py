"""Homework on the lab's page: tasks, and how what students hand in is graded.

A task is a JSON file: points, a question, and what is asked. The page checks an answer by computing
it again, and writes a file to hand in; `grade` runs every one of these again in the library.
"""

from separatrix.course.homework.grading import (
    Grade,
    Task,
    built_in,
    grade,
    grades_csv,
    grades_of,
    read_task,
)
