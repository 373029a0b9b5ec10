/** Licences of the packages that a bundle contains, collected while it is made. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Rolldown } from 'vite'

export interface Notice {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The licence as the package ships it, with its copyright lines. */
  readonly text: string
}

/** Writes THIRD-PARTY.txt beside a bundle: a notice for each package with a module in it. */
export function thirdParty(): Rolldown.Plugin {
  return {
    name: 'third-party',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : [],
      )
      const source = noticesText(noticesOf(modules))
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source })
    },
  }
}

/**
 * Finds the packages of module files below node_modules, by name.
 * @throws {Error} for a package without a file of its licence
 */
export function noticesOf(modules: readonly string[]): Notice[] {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []))
  return [...folders].map(noticeOf).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The nearest folder above a file that is a package with name and version. */
function packageFolder(path: string): string | undefined {
  const file = path.split('?')[0]!
  if (!file.includes('/node_modules/') || !existsSync(file)) return undefined
  for (let folder = dirname(file); !folder.endsWith('/node_modules'); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && 'version' in JSON.parse(readFileSync(manifest, 'utf8'))) {
      return folder
    }
  }
  return undefined
}

function noticeOf(folder: string): Notice {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  const { name, version, license } = JSON.parse(manifest) as Notice
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each))
  if (file === undefined) throw new Error(`${name} ${version}: no licence file in ${folder}`)
  return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() }
}

function noticesText(notices: readonly Notice[]): string {
  const head = 'The bundles of this folder contain these packages, under their own licences.\n'
  const parts = notices.map(({ name, version, license, text }) => {
    return `\n${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`
  })
  return [head, ...parts].join('')
}
