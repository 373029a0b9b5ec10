/**
 * The dialect of Prometheus' exposition formats: what targets offer to be scraped (README.md).
 * Public as `pentameter/scraping`; its constants as `pentameter/scraping/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export {
  decodeScraping,
  encodeScraping,
  type MetricFamily,
  type NumberText,
  type ReadExemplar,
  type ReadHistogram,
  type ReadSample,
} from './codec.ts'
