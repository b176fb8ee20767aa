-- Edit the selected item by its text, as a new take. Needs a running `a3t serve` with its token in
-- A3T_TOKEN, and curl. The whole file behind the item is sent; the item must play it from its start.

local server = os.getenv("A3T_SERVER") or "http://127.0.0.1:7870"
local token = os.getenv("A3T_TOKEN")

local function stop(message)
  reaper.ShowMessageBox(message, "a3t", 0)
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function main()
  local item = reaper.GetSelectedMediaItem(0, 0)
  if not token then return stop("Set A3T_TOKEN to the server's token.") end
  if not item then return stop("Select an item first.") end
  local take = reaper.GetActiveTake(item)
  local source = reaper.GetMediaItemTake_Source(take)
  local path = reaper.GetMediaSourceFileName(source, "")
  -- What was typed goes through files, so that no character of it means anything to a shell.
  local ok, answers = reaper.GetUserInputs(
    "a3t", 2, "What it says,What it should say,extrawidth=400,separator=\n", "")
  if not ok then return end
  local old, new = answers:match("^(.-)\n(.*)$")
  local base = reaper.GetProjectPath("") .. "/a3t-" .. os.time()
  write(base .. ".old.txt", old)
  write(base .. ".new.txt", new)
  write(base .. ".curl", table.concat({
    'header = "Authorization: Bearer ' .. token .. '"',
    'url = "' .. server .. '/v1/edits"',
    'form = "file=@\\"' .. path:gsub('\\', '\\\\\\\\') .. '\\""',
    'form = "text=<' .. base .. '.old.txt"',
    'form = "new_text=<' .. base .. '.new.txt"',
    'form = "reply=recording"',
    'output = "' .. base .. '.wav"',
    "silent", "fail-with-body",
  }, "\n"))
  local answer = reaper.ExecProcess('curl --config "' .. base .. '.curl"', 600000)
  os.remove(base .. ".curl")
  os.remove(base .. ".old.txt")
  os.remove(base .. ".new.txt")
  if not answer or answer:sub(1, 1) ~= "0" then return stop("The server refused it:\n" .. (answer or "")) end
  local new_take = reaper.AddTakeToMediaItem(item)
  reaper.SetMediaItemTake_Source(new_take, reaper.PCM_Source_CreateFromFile(base .. ".wav"))
  reaper.SetActiveTake(new_take)
  reaper.UpdateItemInProject(item)
end

main()
