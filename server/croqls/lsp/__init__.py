"""Transport: the only package that knows pygls and lsprotocol. Handlers convert; features stand in `croqls.ide`."""
