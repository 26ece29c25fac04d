@rem Windows has no `exec`, by which npm's scripts leave no shell between npm and the program, so that signals reach it.
@%*
