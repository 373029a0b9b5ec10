/** The registry: one line for every dialect that the product speaks. */
export { eventcounters } from './eventcounters/guest.ts'
export { nettrace } from './nettrace/guest.ts'
export { opentelemetry } from './opentelemetry/guest.ts'
export { proxywasm } from './proxywasm/guest.ts'
export { remotewrite } from './remotewrite/guest.ts'
export { scope } from './scope/guest.ts'
export { statshero } from './statshero/guest.ts'
export { wallaroo } from './wallaroo/guest.ts'
