"""The ground floor: what apps share that is neither lesson nor quiz. It imports none of them.

doorbell.py rings for a task; loading.py decides what becomes of a row that a file describes.
"""
