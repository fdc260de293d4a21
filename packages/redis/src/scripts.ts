/**
 * Compare-and-set. KEYS: document, history. ARGV: expected version, document, entry without what it replaces, its subject, its
 * identity, entries to keep, channel, until when by the server's own clock in ms. Gives 'written', 'late', or the version that stands.
 *
 * The limit is there because a client may send a command again after a loss of its connection, long after its caller gave up. A script
 * that fails half-way is not undone, so what can fail comes before the document is set; who may not publish is polled.
 */
export const WRITE_SCRIPT = `
local now = redis.call('TIME')
if now[1] * 1000 + now[2] / 1000 > tonumber(ARGV[8]) then return 'late' end
local held = redis.call('GET', KEYS[1])
local version = 0
if held then
  local readable, document = pcall(cjson.decode, held)
  local stated = readable and type(document) == 'table' and document.version
  if type(stated) == 'number' and stated > 0 and stated % 1 == 0 and stated <= 9007199254740991 then version = stated end
end
if version ~= tonumber(ARGV[1]) then return string.format('%.0f', version) end
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[6], '*',
  'entry', ARGV[3], 'previous', held or '', 'subject', ARGV[4], 'identity', ARGV[5], 'written', '1')
redis.call('SET', KEYS[1], ARGV[2])
redis.pcall('PUBLISH', ARGV[7], '')
return 'written'
`

/**
 * Adds an entry that is not there yet, in the place of what the writer of the same document noted. KEYS: history. ARGV: entry without
 * what it replaces, what it replaces or '', its subject, its identity, entries to keep.
 *
 * A stream only grows at its end, where by now the next writer may have noted something: so the entry says whose place it has.
 */
export const RECORD_SCRIPT = `
local place = ''
for _, item in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-')) do
  local kept = {}
  for index = 1, #item[2], 2 do kept[item[2][index]] = item[2][index + 1] end
  if kept.written == '1' then
    if kept.subject == ARGV[3] then
      redis.call('XDEL', KEYS[1], item[1])
      place = item[1]
    end
  elseif kept.identity == ARGV[4] then
    return 0
  end
end
redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[5], '*',
  'entry', ARGV[1], 'previous', ARGV[2], 'subject', ARGV[3], 'identity', ARGV[4], 'place', place)
return 1
`

/** Entries, newest first, each with what it replaced. KEYS: history. ARGV: at most so many, of this version or of each if ''. */
export const HISTORY_SCRIPT = `
local all = {}
for order, item in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-')) do
  local kept = {}
  for index = 1, #item[2], 2 do kept[item[2][index]] = item[2][index + 1] end
  local ms, seq = string.match(kept.place or '', '^(%d+)-(%d+)$')
  if not ms then ms, seq = string.match(item[1], '^(%d+)-(%d+)$') end
  all[order] = { kept = kept, ms = tonumber(ms), seq = tonumber(seq), order = order }
end
table.sort(all, function(one, other)
  if one.ms ~= other.ms then return one.ms > other.ms end
  if one.seq ~= other.seq then return one.seq > other.seq end
  return one.order < other.order
end)
local found = {}
for _, each in ipairs(all) do
  if #found >= tonumber(ARGV[1]) then break end
  local kept = each.kept
  if ARGV[2] == '' or string.sub(kept.subject or '', 1, #ARGV[2] + 1) == ARGV[2] .. ':' then
    found[#found + 1] = { kept.entry or '', kept.previous or '' }
  end
end
return found
`

/** The server's clock, in whole ms. It answers only if the server is there. */
export const TIME_SCRIPT = `
local now = redis.call('TIME')
return string.format('%.0f', now[1] * 1000 + now[2] / 1000)
`
