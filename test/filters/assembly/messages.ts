// A filter, without an SDK, that looks at and changes what passes through it, as the header :path
// says. What it read it writes into the response as headers x-…, to be looked at.

@external("env", "proxy_get_header_map_value")
declare function getHeader(map: i32, at: usize, size: usize, out: usize, outSize: usize): i32
@external("env", "proxy_add_header_map_value")
declare function addHeader(map: i32, at: usize, size: usize, v: usize, vSize: usize): i32
@external("env", "proxy_replace_header_map_value")
declare function replaceHeader(map: i32, at: usize, size: usize, v: usize, vSize: usize): i32
@external("env", "proxy_remove_header_map_value")
declare function removeHeader(map: i32, at: usize, size: usize): i32
@external("env", "proxy_get_header_map_pairs")
declare function getPairs(map: i32, out: usize, outSize: usize): i32
@external("env", "proxy_set_header_map_pairs")
declare function setPairs(map: i32, at: usize, size: usize): i32
@external("env", "proxy_get_header_map_size")
declare function getMapSize(map: i32, out: usize): i32
@external("env", "proxy_get_buffer_bytes")
declare function getBuffer(buffer: i32, start: u32, size: u32, out: usize, outSize: usize): i32
@external("env", "proxy_set_buffer_bytes")
declare function setBuffer(buffer: i32, start: u32, size: u32, at: usize, atSize: usize): i32
@external("env", "proxy_get_buffer_status")
declare function getBufferStatus(buffer: i32, length: usize, flags: usize): i32
@external("env", "proxy_get_property")
declare function getProperty(at: usize, size: usize, out: usize, outSize: usize): i32
@external("env", "proxy_set_property")
declare function setProperty(at: usize, size: usize, v: usize, vSize: usize): i32
@external("env", "proxy_send_local_response")
declare function sendLocalResponse(
  status: i32, details: usize, detailsSize: usize, body: usize, bodySize: usize,
  pairs: usize, pairsSize: usize, grpc: i32): i32
@external("env", "proxy_get_current_time_nanoseconds")
declare function getTime(out: usize): i32
@external("env", "proxy_set_effective_context")
declare function setContext(context: u32): i32
@external("env", "proxy_continue_stream")
declare function continueStream(kind: i32): i32

const REQUEST = 0
const REQUEST_TRAILERS = 1
const RESPONSE = 2
const REQUEST_BODY = 0
const RESPONSE_BODY = 1
const CONTINUE: u32 = 0
const PAUSE: u32 = 1

const cell = memory.data(16)
let path = ''

export function abort(_message: usize, _file: usize, _line: u32, _column: u32): void {
  unreachable()
}
export function proxy_abi_version_0_2_0(): void {}
export function malloc(size: usize): usize {
  return heap.alloc(size)
}
export function proxy_on_context_create(_context: u32, _root: u32): void {}

export function proxy_on_request_headers(context: u32, count: u32, last: u32): u32 {
  path = header(REQUEST, ':path')
  if (path == '/deny') {
    const body = String.UTF8.encode('not here')
    const details = String.UTF8.encode('by rule')
    sendLocalResponse(
      403, changetype<usize>(details), details.byteLength,
      changetype<usize>(body), body.byteLength, 0, 0, -1)
    return PAUSE
  }
  if (path == '/wait') return PAUSE
  if (path == '/wait-a-moment') {
    continueStream(0)
    return PAUSE
  }
  set(REQUEST, 'x-new', 'first')
  set(REQUEST, 'x-new', 'second')
  replace(REQUEST, 'X-Twice', 'once')
  remove(REQUEST, 'x-secret')
  tell('x-seen', count.toString() + ' ' + last.toString())
  getPairs(REQUEST, cell, cell + 4)
  const size = load<u32>(cell, 4)
  getMapSize(REQUEST, cell + 8)
  tell('x-pairs', (load<u32>(cell, 8) == size).toString())
  if (path == '/copy') setPairs(REQUEST_TRAILERS, load<usize>(cell), size)
  return CONTINUE
}

export function proxy_on_request_body(_context: u32, size: u32, last: u32): u32 {
  getBufferStatus(REQUEST_BODY, cell, cell + 4)
  tell('x-body', size.toString() + ' ' + last.toString() + ' ' + load<u32>(cell).toString())
  getBuffer(REQUEST_BODY, 2, 3, cell, cell + 4)
  tell('x-part', taken())
  const text = String.UTF8.encode('<>')
  const at = changetype<usize>(text)
  setBuffer(REQUEST_BODY, 0, 0, at, 1)
  setBuffer(REQUEST_BODY, 0xffffffff, 0, at + 1, 1)
  setBuffer(REQUEST_BODY, 1, 1, at, 2)
  return CONTINUE
}

export function proxy_on_request_trailers(_context: u32, count: u32): u32 {
  tell('x-trailers', count.toString())
  return CONTINUE
}

export function proxy_on_response_headers(context: u32, _count: u32, _last: u32): u32 {
  if (path == '/deny') {
    tell('x-denied', header(RESPONSE, ':status'))
    return CONTINUE
  }
  for (let i = 0; i < PROPERTIES.length; i++) {
    tell('x-' + PROPERTIES[i].replace('\0', '-'), property(PROPERTIES[i]))
  }
  property('request\0size')
  tell('x-size', load<u64>(load<usize>(cell)).toString())
  const name = String.UTF8.encode('my\0own')
  const value = String.UTF8.encode('kept')
  setProperty(
    changetype<usize>(name), name.byteLength, changetype<usize>(value), value.byteLength)
  tell('x-own', property('my\0own'))
  getTime(cell)
  tell('x-time', load<u64>(cell).toString())
  const contexts = [setContext(context), setContext(1), setContext(999), setContext(context)]
  tell('x-contexts', contexts.join(' '))
  setContext(1)
  const outside = getMapSize(REQUEST, cell)
  setContext(context)
  tell('x-outside', outside.toString())
  return CONTINUE
}

export function proxy_on_response_body(_context: u32, _size: u32, _last: u32): u32 {
  const text = String.UTF8.encode('changed')
  setBuffer(RESPONSE_BODY, 0, 0xffffffff, changetype<usize>(text), text.byteLength)
  return CONTINUE
}

const PROPERTIES = [
  'plugin_name', 'plugin_root_id', 'request\0method', 'request\0host', 'node\0id', 'no\0such',
]

function header(map: i32, name: string): string {
  const text = String.UTF8.encode(name)
  const status = getHeader(map, changetype<usize>(text), text.byteLength, cell, cell + 4)
  return status == 0 ? taken() : 'status ' + status.toString()
}

function property(path: string): string {
  const text = String.UTF8.encode(path)
  const status = getProperty(changetype<usize>(text), text.byteLength, cell, cell + 4)
  return status == 0 ? taken() : 'status ' + status.toString()
}

function set(map: i32, name: string, value: string): void {
  const n = String.UTF8.encode(name)
  const v = String.UTF8.encode(value)
  addHeader(map, changetype<usize>(n), n.byteLength, changetype<usize>(v), v.byteLength)
}

function replace(map: i32, name: string, value: string): void {
  const n = String.UTF8.encode(name)
  const v = String.UTF8.encode(value)
  replaceHeader(map, changetype<usize>(n), n.byteLength, changetype<usize>(v), v.byteLength)
}

function remove(map: i32, name: string): void {
  const n = String.UTF8.encode(name)
  removeHeader(map, changetype<usize>(n), n.byteLength)
}

function tell(name: string, value: string): void {
  set(RESPONSE, name, value)
}

/** Left where it is: a request is short. */
function taken(): string {
  return String.UTF8.decodeUnsafe(load<usize>(cell), load<usize>(cell, 4))
}
