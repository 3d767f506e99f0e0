"""The pages of classes: for those who teach, under /teach/, and for students."""
