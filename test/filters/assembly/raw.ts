// A filter without an SDK, in AssemblyScript: the standard fixture (a_counter, a_gauge,
// a_histogram; at each request +1, 42 and 10), and every metric call with what a request's header
// x-call says: `define:TYPE:NAME`, `increment:ID:DELTA`, `record:ID:VALUE`, `get:ID`, `wild:get`
// and others of the kind with a pointer outside the memory. The status, and a value got, come back
// as headers.

@external("env", "proxy_log")
declare function proxy_log(level: i32, at: usize, size: usize): i32
@external("env", "proxy_define_metric")
declare function proxy_define_metric(type: i32, at: usize, size: usize, id: usize): i32
@external("env", "proxy_increment_metric")
declare function proxy_increment_metric(id: u32, delta: i64): i32
@external("env", "proxy_record_metric")
declare function proxy_record_metric(id: u32, value: u64): i32
@external("env", "proxy_get_metric")
declare function proxy_get_metric(id: u32, value: usize): i32
@external("env", "proxy_get_header_map_value")
declare function proxy_get_header_map_value(
  map: i32, at: usize, size: usize, valueAt: usize, valueSize: usize): i32
@external("env", "proxy_add_header_map_value")
declare function proxy_add_header_map_value(
  map: i32, at: usize, size: usize, valueAt: usize, valueSize: usize): i32
@external("env", "proxy_get_buffer_bytes")
declare function proxy_get_buffer_bytes(
  buffer: i32, start: u32, length: u32, at: usize, size: usize): i32

const REQUEST_HEADERS = 0
const RESPONSE_HEADERS = 2
const PLUGIN_CONFIGURATION = 7
const INFO = 2
const ERROR = 4
/** Far behind the end of any memory of this filter. */
const WILD: usize = 0xffff_fff0

const cell = memory.data(16)
let counter: u32 = 0
let gauge: u32 = 0
let histogram: u32 = 0

export function abort(_message: usize, _file: usize, _line: u32, _column: u32): void {
  log(ERROR, 'abort')
  unreachable()
}

export function proxy_abi_version_0_2_1(): void {}

export function proxy_on_memory_allocate(size: usize): usize {
  return heap.alloc(size)
}

export function proxy_on_context_create(_context: u32, _root: u32): void {}

export function proxy_on_vm_start(_root: u32, _size: u32): u32 {
  return 1
}

export function proxy_on_configure(_root: u32, size: u32): u32 {
  if (size > 0) {
    if (proxy_get_buffer_bytes(PLUGIN_CONFIGURATION, 0, size, cell, cell + 4) != 0) return 0
    log(INFO, 'configured with ' + taken())
  }
  counter = define(0, 'a_counter')
  gauge = define(1, 'a_gauge')
  histogram = define(2, 'a_histogram')
  return 1
}

export function proxy_on_request_headers(_context: u32, _count: u32, _last: u32): u32 {
  proxy_increment_metric(counter, 1)
  proxy_record_metric(gauge, 42)
  proxy_record_metric(histogram, 10)
  return 0
}

export function proxy_on_response_headers(_context: u32, _count: u32, _last: u32): u32 {
  const name = String.UTF8.encode('x-call')
  const status = proxy_get_header_map_value(
    REQUEST_HEADERS, changetype<usize>(name), name.byteLength, cell, cell + 4)
  if (status == 0) answer(taken().split(':'))
  return 0
}

export function proxy_on_done(_context: u32): u32 {
  return 1
}

export function proxy_on_log(_context: u32): void {
  log(INFO, 'request is over')
}

export function proxy_on_delete(_context: u32): void {}

function answer(call: string[]): void {
  const name = call[0]
  store<u64>(cell, 0)
  let status: i32 = -1
  if (name == 'define') {
    const text = String.UTF8.encode(call.slice(2).join(':'))
    status = proxy_define_metric(
      I32.parseInt(call[1]), changetype<usize>(text), text.byteLength, cell)
  } else if (name == 'increment') {
    status = proxy_increment_metric(U32.parseInt(call[1]), I64.parseInt(call[2]))
  } else if (name == 'record') {
    status = proxy_record_metric(U32.parseInt(call[1]), U64.parseInt(call[2]))
  } else if (name == 'get') {
    status = proxy_get_metric(U32.parseInt(call[1]), cell)
  } else if (name == 'wild') {
    status = wild(call[1])
  }
  respond('x-status', status.toString())
  respond('x-value', load<u64>(cell).toString())
}

/** The call with a pointer to nowhere; all else about it is right. */
function wild(call: string): i32 {
  if (call == 'get') return proxy_get_metric(counter, WILD)
  if (call == 'name') return proxy_define_metric(0, WILD, 64, cell)
  if (call == 'id') {
    const text = String.UTF8.encode('never_defined')
    return proxy_define_metric(0, changetype<usize>(text), text.byteLength, WILD)
  }
  if (call == 'log') return proxy_log(INFO, WILD, 64)
  return proxy_get_buffer_bytes(PLUGIN_CONFIGURATION, 0, 100, WILD, cell)
}

function define(type: i32, name: string): u32 {
  const text = String.UTF8.encode(name)
  proxy_define_metric(type, changetype<usize>(text), text.byteLength, cell)
  return load<u32>(cell)
}

function respond(name: string, value: string): void {
  const n = String.UTF8.encode(name)
  const v = String.UTF8.encode(value)
  proxy_add_header_map_value(
    RESPONSE_HEADERS,
    changetype<usize>(n), n.byteLength, changetype<usize>(v), v.byteLength)
}

function log(level: i32, text: string): void {
  const bytes = String.UTF8.encode(text)
  proxy_log(level, changetype<usize>(bytes), bytes.byteLength)
}

/** What the host gave: its address and size are in the cell, the memory is the filter's. */
function taken(): string {
  const at = load<usize>(cell)
  const text = String.UTF8.decodeUnsafe(at, load<usize>(cell, 4))
  heap.free(at)
  return text
}
