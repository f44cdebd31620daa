"""Transport: the only package that knows pygls and lsprotocol. Handlers convert; features stand in `croqls.ide`."""

from croqls.lsp import late_types as late_types  # before any module of the library is loaded
