/**
 * Handlers of the fetch kind, a `Request` in and a `Response` out, as route handlers of Next.js are
 * and what Bun, Deno and edge servers call: the shop's is timed, `/metrics` is one line. Calls
 * itself as such a server would, and prints what a scrape shows.
 * Run: npx node examples/fetch-handler.ts
 */
import { histogram, metrics } from 'pentameter'

type Handler = (request: Request) => Response | Promise<Response>

const times = histogram('example.shop.request-time', { unit: 'ms', labels: ['route', 'status'] })

/** Times a handler, under its route and the status of its answer. */
function timed(route: string, handler: Handler): Handler {
  return async (request) => {
    const startMs = performance.now()
    const response = await handler(request)
    const status = String(response.status)
    times.with({ route, status }).record(performance.now() - startMs)
    return response
  }
}

/** What Next.js finds as `GET` in `app/cart/[id]/route.ts`. */
const getCart = timed('/cart/[id]', (request) => {
  const id = Number(new URL(request.url).pathname.split('/').at(-1))
  return Number.isInteger(id)
    ? Response.json({ id, books: 2 })
    : new Response('no such cart\n', { status: 404 })
})

/** What it finds as `GET` in `app/metrics/route.ts`. */
const getMetrics: Handler = (request) => metrics.response(request)

for (const id of ['1', '2', 'three']) {
  await getCart(new Request(`http://shop.example/cart/${id}`))
}
const scraped = await getMetrics(new Request('http://shop.example/metrics'))
console.log((await scraped.text()).match(/^example_shop_request_time\w*_count.*$/gm)?.join('\n'))
