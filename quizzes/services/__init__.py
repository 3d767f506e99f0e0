"""The only writers. Every service is a verb, takes keyword arguments and owns its transaction.

Services ring no doorbells: whoever calls one does, once the transaction is committed.
"""
