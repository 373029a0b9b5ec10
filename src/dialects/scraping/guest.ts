/** Scraping with all that it brings into the house. */
import type { Guest } from '../guest.ts'
import { dialect } from './dialect.ts'

export const scraping: Guest = {
  dialect,
  examples: {
    decode: ['pentameter decode scraping metrics.txt'],
    serve: ["pentameter serve --attach 'prometheus+http://10.0.0.8:9100/metrics?interval=5s'"],
  },
}
