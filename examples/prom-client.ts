/**
 * A program with metrics of prom-client that moves over step by step: what its register holds is
 * shown with ours, and ours in its register, for whatever scrapes it already. The same for
 * `@prometheus-io/client`.
 * Run: npx node examples/prom-client.ts
 */
import { counter, metrics } from 'pentameter'
import { Counter, Registry } from 'prom-client'

const register = new Registry()
const logins = new Counter({ name: 'logins_total', help: 'Logins', registers: [register] })
logins.inc(2)
counter('shop.orders').add(3)

metrics.includeRegister(register) // theirs on our /metrics, in pushes, on the page
metrics.showIn(register) // ours in their register.metrics()

await metrics.gather() // handlers and pushes do so by themselves
console.log(metrics.text().match(/^logins_total.*$/m)?.[0])
console.log((await register.metrics()).match(/^shop_orders_total.*$/m)?.[0])
