autocmd BufRead,BufNewFile *.co setfiletype croqtile
