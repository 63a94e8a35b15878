-- Drives `craig lsp` in Neovim as a person does: hover float, code actions, commands, symbols. Run by scripts/lsp-check:
-- CRAIG names the program, PROJECT a folder with documentation and code. Works with Neovim 0.7 and newer.
local craig, project = os.getenv('CRAIG'), os.getenv('PROJECT')
local statuses = {}

local function check(holds, what)
  if not holds then error('craig lsp in Neovim: ' .. what, 2) end
end

local function wait(holds, what)
  check(vim.wait(20000, holds, 10), what .. ' does not happen')
end

local function main()
  vim.lsp.handlers['$/craig/status'] = function(_, status) statuses[#statuses + 1] = status.state end
  vim.cmd('edit ' .. project .. '/lib/client.js')
  vim.bo.filetype = 'javascript'
  local id = vim.lsp.start_client({ name = 'craig', cmd = { craig, 'lsp' }, root_dir = project })
  check(id and vim.lsp.buf_attach_client(0, id), 'the client does not start')
  wait(function() return statuses[#statuses] == 'ready' end, 'the documentation is ready')

  -- The hover float, read back from its buffer.
  vim.fn.search('request (options)')
  vim.lsp.buf.hover()
  local float
  wait(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then float = window end
    end
    return float ~= nil
  end, 'a hover float')
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), '\n')
  check(text:find('Performs a request', 1, true) and text:find('docs/api/client.md', 1, true), 'the float says ' .. text)
  vim.api.nvim_win_close(float, true)

  -- The action, chosen as a person would; the explanation is shown as a document, or as a message by older versions.
  local offered, told
  vim.ui.select = function(items, _, choose) offered = items; choose(items[1], 1) end
  local show_message = vim.lsp.handlers['window/showMessage']
  vim.lsp.handlers['window/showMessage'] = function(...)
    local _, params = ...
    told = params.message
    return show_message(...)
  end
  local first = vim.fn.line('.')
  local range = { start = { first, 0 }, ['end'] = { first + 2, 3 } }
  if vim.fn.has('nvim-0.8') == 1 then
    vim.lsp.buf.code_action({ range = range })
  else
    vim.lsp.buf.range_code_action({}, range.start, range['end'])
  end
  wait(function()
    local page = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    return (told or page):find('Performs a request', 1, true)
  end, 'an explanation on the screen')
  check(offered == nil or #offered == 1, 'one action is offered')

  -- The command, with its answer; symbols of the documentation.
  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(vim.fn.bufnr('client.js'), method, params, 20000)
    check(answers and answers[id] and not answers[id].err, method .. ' fails')
    return answers[id].result
  end
  local uri = vim.uri_from_fname(project .. '/lib/client.js')
  local argument = { uri = uri, range = { start = { line = first - 1, character = 0 }, ['end'] = { line = first, character = 0 } } }
  local explained = ask('workspace/executeCommand', { command = 'craig.explain', arguments = { argument } })
  check(explained.symbol == 'request' and #explained.citations > 0, 'the command explains')
  local symbols = ask('workspace/symbol', { query = 'client.close' })
  check(symbols[1] and symbols[1].name == 'client.close()', 'symbols are found')

  -- Symbols of the code, once it is ingested and the settings want them from Craig.
  ask('workspace/executeCommand', { command = 'craig.search', arguments = { { query = 'flushInner' } } })
  statuses = {}
  vim.lsp.get_client_by_id(id).notify('workspace/didChangeConfiguration', { settings = { craig = { lsp = { navigation = 'on' } } } })
  wait(function() return statuses[#statuses] == 'ready' end, 'the folder is opened anew')
  local exported = { textDocument = { uri = uri }, position = { line = 14, character = 19 } }
  local definitions = ask('textDocument/definition', exported)
  check(#definitions == 1 and definitions[1].range.start.line == 2, 'the class is where it is exported from')
  local outline = ask('textDocument/documentSymbol', { textDocument = { uri = uri } })
  check(outline[1].name == 'Client' and #outline[1].children == 3, 'the text has an outline')

  vim.lsp.stop_client(id)
  wait(function() return vim.lsp.client_is_stopped(id) end, 'the end of the session')
  print('Neovim ' .. vim.fn.matchstr(vim.fn.execute('version'), 'NVIM v\\zs[0-9.]*') .. ': hover float, code action, command, symbols, definition')
end

local is_well, failure = pcall(main)
if not is_well then
  io.stderr:write(tostring(failure) .. '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
