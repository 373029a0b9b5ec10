/** One scrape of a hub as a scraper sees it. */
import { get } from 'node:http'

export interface Scrape {
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly bytes: number
}

export function scrape(port: number): Promise<Scrape> {
  const begin = performance.now()
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path: '/metrics' }, (response) => {
      let firstByteMs = 0
      let bytes = 0
      if (response.statusCode !== 200) reject(new Error(`/metrics: ${response.statusCode}`))
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - begin
        bytes += chunk.length
      })
      response.on('end', () => resolve({ firstByteMs, wholeMs: performance.now() - begin, bytes }))
    })
    request.on('error', reject)
  })
}
