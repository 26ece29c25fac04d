import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { removeAbandoned } from '#test/abandoned.ts'

/** The browser inside the npm package, its libraries and its fonts. */
interface Unpacked {
  program: string
  libraries: string
  fonts: string
}

const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const packed = new URL('../', import.meta.resolve('@sparticuz/chromium'))

/** Beside the installed packages: it goes with them, and nothing outside the checkout is needed or left behind. */
const cache_folder = join(checkout, 'node_modules/.cache/stint')

/** `CHROMIUM_PATH` names another Chromium; without it nothing but npm's packages is needed (Linux, x64). */
export async function launchChromium(): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH
  const unpacked = own ? null : await unpackChromium()
  return chromium.launch({
    executablePath: own ?? unpacked?.program ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    env: {
      ...process.env,
      ...(unpacked && {
        // Libraries that a bare machine lacks; those of the machine come first where it has them.
        LD_LIBRARY_PATH: [process.env.LD_LIBRARY_PATH, ...systemFolders(), unpacked.libraries]
          .filter(Boolean)
          .join(':'),
        FONTCONFIG_FILE: unpacked.fonts,
        XDG_CACHE_HOME: cache_folder,
      }),
    },
  })
}

/** A machine with its own libraries uses them: mixing two builds of one library family ends in a crash. */
function systemFolders(): string[] {
  return ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'].filter((folder) =>
    existsSync(join(folder, 'libnss3.so')),
  )
}

/** Once per version, also when several test files want it at once. */
export async function unpackChromium(cache = cache_folder): Promise<Unpacked> {
  const { version } = JSON.parse(await readFile(new URL('package.json', packed), 'utf8')) as { version: string }
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    await removeAbandoned(dirname(folder), `${basename(folder)}.`)
    await unpackInto(folder)
  }
  return {
    program: join(folder, 'chromium'),
    libraries: join(folder, 'al2023', 'lib'),
    fonts: join(folder, 'fonts.conf'),
  }
}

/** The package's own configuration names folders of a server that this is not. Relative: a checkout may move. */
const fonts_conf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

/** The package unpacks into the folder for temporary files; this process has its own by then. */
const inflating = `
  const { inflate } = await import('@sparticuz/chromium')
  await Promise.all(process.argv.slice(1).map((archive) => inflate(archive)))`

/** Into a folder of its own first, renamed when complete: files of a run that was killed are never taken for whole. */
async function unpackInto(folder: string): Promise<void> {
  const archives = fileURLToPath(new URL('bin', packed))
  const names = (await readdir(archives)).filter((name) => !name.startsWith('swiftshader'))
  const half = `${folder}.${process.pid}`
  await mkdir(half, { recursive: true })
  try {
    const words = ['--input-type=module', '--eval', inflating, ...names.map((name) => join(archives, name))]
    await promisify(execFile)(process.execPath, words, { cwd: checkout, env: { ...process.env, TMPDIR: half } })
    await writeFile(join(half, 'fonts.conf'), fonts_conf)
    await rename(half, folder)
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    // Another file of the run was faster.
    if (!existsSync(folder)) throw error
  }
}
