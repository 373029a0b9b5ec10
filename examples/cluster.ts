/**
 * A web server in several processes with one `/metrics`: whichever process answers a scrape answers
 * for all, and what a process counted that has ended stays.
 * Visits it a few times and prints what a scrape shows of them.
 * Run: npx node examples/cluster.ts
 */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { counter, metrics } from 'pentameter'

const all = metrics.cluster() // in the primary and in every worker
if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()]
  const [first] = await Promise.all(workers.map((worker) => once(worker, 'listening')))
  const { port } = first![0]
  const ask = async (path: string): Promise<string> => {
    const headers = { connection: 'close' } // each request to the worker whose turn it is
    return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
  }
  for (let i = 0; i < 4; i++) await ask('/')
  await ask('/metrics')
  workers[1]!.kill()
  await once(workers[1]!, 'exit')
  const scraped = await ask('/metrics')
  console.log(scraped.match(/^(example_pages_visits_total|metrics_processes)\{.*$/gm)?.join('\n'))
  workers[0]!.kill()
} else {
  const visits = counter('example.pages.visits')
  const answerScrape = all.handler()
  const server = createServer((request, response) => {
    if (request.url === '/metrics') return answerScrape(request, response)
    visits.add()
    return response.end('hello\n')
  })
  server.listen(0, '127.0.0.1')
}
