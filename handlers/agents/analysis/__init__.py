"""Understanding of questions about the Moscow Exchange, and answers; all of it is pure."""
