" Opens $FILE under ALE as docs/editors.md sets it up, waits for what it finds, hovers over $WORD; writes all to $OUT.
let s:out = []

function! s:wait(condition)
  let s:turns = 0
  while !eval(a:condition) && s:turns < 2400
    sleep 25m
    let s:turns += 1
  endwhile
endfunction

execute 'edit ' . fnameescape($FILE)
call add(s:out, &filetype)
ALELint
call s:wait('!empty(ale#engine#GetLoclist(bufnr("")))')
for s:item in ale#engine#GetLoclist(bufnr(''))
  call add(s:out, join([s:item.lnum, s:item.col, s:item.end_col, s:item.type, get(s:item, 'code', '')], ' '))
endfor

" The text of the preview window, which takes hovers where the screen is too small for them.
function! s:preview()
  let s:windows = filter(range(1, winnr('$')), 'getwinvar(v:val, "&previewwindow")')
  return empty(s:windows) ? [] : getbufline(winbufnr(s:windows[0]), 1, '$')
endfunction

let g:ale_hover_to_preview = 1
call search('\V' . $WORD)
ALEHover
call s:wait('!empty(s:preview())')
call extend(s:out, s:preview())
call writefile(s:out, $OUT)
qall!
