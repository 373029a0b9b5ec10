/** What the pixels of a scope's plot say: the peaks of its red line. */
import type { Page } from 'playwright-core'

/** The plot that red lines are in. */
export const RED_CANVAS = '.plot[aria-label="Plot p"] canvas'

/** Place of the lines within the canvas, as the board lays it out, in CSS pixels. */
export const BOX = { left: 60, top: 8, right: 12, bottom: 20 }

export interface Peak {
  /** Share of the picture, 0 = left. */
  readonly at: number
  readonly value: number
}

/**
 * Reads what red pixels say: from each stretch of columns that reach above a value the highest.
 * @param above share of the range, 0 to 1
 */
export async function redPeaks(
  page: Page,
  lo: number,
  hi: number,
  above: number,
  apart = 0.01,
): Promise<Peak[]> {
  const columns = (await page.evaluate(`(() => {
    const canvas = document.querySelector('${RED_CANVAS}')
    const ratio = canvas.width / canvas.clientWidth
    const copy = document.createElement('canvas')
    copy.width = canvas.width
    copy.height = canvas.height
    const context = copy.getContext('2d', { willReadFrequently: true })
    context.drawImage(canvas, 0, 0)
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
    const left = ${BOX.left} * ratio, right = width - ${BOX.right} * ratio
    const top = ${BOX.top} * ratio, bottom = height - ${BOX.bottom} * ratio
    const found = []
    for (let x = Math.ceil(left); x <= right; x++) {
      for (let y = 0; y < bottom + 4; y++) {
        const i = 4 * (y * width + x)
        if (data[i] > 120 && data[i + 1] < 90 && data[i + 2] < 90 && data[i + 3] > 120) {
          found.push([(x - left) / (right - left), 1 - (y + 0.75 - top) / (bottom - top)])
          break
        }
      }
    }
    return found
  })()`)) as [number, number][]
  const peaks: Peak[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const [at, share] of columns) {
    if (share < above) continue
    const value = lo + share * (hi - lo)
    const isSame = at - last < apart
    last = at
    if (!isSame) peaks.push({ at, value })
    else if (value > peaks.at(-1)!.value) peaks[peaks.length - 1] = { at, value }
  }
  return peaks
}
