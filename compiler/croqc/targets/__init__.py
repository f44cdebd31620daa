"""Tables of what each GPU architecture offers. Tables only: must not decide anything."""
