"""What is to be sent, and what was. The row is the queue.

Apps register kinds of messages (kinds.py) and post them in the transaction of what they tell
(services.py); workers send what is due (sending.py) by the sender that a kind names (senders/).
"""
