"""The outbox: messages to send and messages sent. The row is the queue.

Apps register kinds of messages (kinds.py) and post messages in the transaction of the change they
announce (services.py); workers send them when due (sending.py) by the kind's sender (letters.py).
"""
