import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { root } from '../process.ts'

interface FontSubset {
  /** The file below `node_modules/@fontsource-variable`, and the name of its subset in `.cache/fonts`. */
  source: string
  name: string
  text: string
  /** OpenType features that the styles switch on, and kerning. */
  features: readonly string[]
}

const range = (first: number, last: number): string =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index))
const ASCII = range(0x20, 0x7e)

/** The characters of nearly all text; `web/styles/fonts.css` has the same characters as ranges. */
const SUBSETS: readonly FontSubset[] = [
  {
    source: 'inter/files/inter-latin-wght-normal.woff2',
    name: 'inter-core.woff2',
    // accented letters, and the punctuation of our texts
    text: `${ASCII}${range(0xc0, 0xff)}\u00a0·–—‘’“”•…›↑↓−`,
    features: ['calt', 'cv05', 'cv08', 'kern', 'ss03', 'tnum'],
  },
  {
    source: 'jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
    name: 'jetbrains-mono-core.woff2',
    text: `${ASCII}…−`,
    features: ['kern', 'zero'],
  },
]
/** The weights of the styles, from `font-normal` to `font-semibold`. */
const WEIGHTS = { min: 400, max: 600 }
const FOLDER = join(root, '.cache', 'fonts')

/**
 * Makes small subsets of the two fonts and preloads them beside the scripts, so that text is laid out only once. The full
 * files stay for all other characters.
 */
export function fontSubsets(): Plugin {
  return {
    name: 'console-fonts',
    async buildStart() {
      mkdirSync(FOLDER, { recursive: true })
      for (const subset of SUBSETS) await writeSubset(subset)
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        return Object.values(bundle)
          .filter(({ fileName }) => SUBSETS.some(({ name }) => isOf(fileName, name)))
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              crossorigin: true,
              href: `/${fileName}`,
            },
            injectTo: 'head' as const,
          }))
      },
    },
  }
}

/** Whether a file of the build is this one, with a hash in its name. */
const isOf = (fileName: string, name: string): boolean =>
  new RegExp(`^assets/${name.replace('.woff2', '-[\\w-]+\\.woff2')}$`).test(fileName)

async function writeSubset({ source, name, text, features }: FontSubset): Promise<void> {
  const whole = join(root, 'node_modules', '@fontsource-variable', source)
  const target = join(FOLDER, name)
  const subsetFont = await loadSubsetFont()
  // without the development packages the page looks the same, but loads more slowly
  if (subsetFont === null) return copyFileSync(whole, target)
  const options = {
    targetFormat: 'woff2' as const,
    variationAxes: { wght: WEIGHTS },
    keepFeatures: features,
    noHinting: true,
  }
  writeFileSync(target, await subsetFont(readFileSync(whole), text, options))
}

async function loadSubsetFont() {
  try {
    return (await import('subset-font')).default
  } catch {
    return null
  }
}
