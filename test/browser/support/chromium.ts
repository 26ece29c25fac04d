import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

/** The browser inside the npm package, its libraries and its fonts, unpacked once per user and version. */
interface Unpacked {
  program: string
  libraries: string
  fonts: string
}

const packed = new URL('../', import.meta.resolve('@sparticuz/chromium'))

/** `CHROMIUM_PATH` names another Chromium; without it nothing but npm's packages is needed (Linux, x64). */
export async function launchChromium(): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH
  const unpacked = own ? null : await unpack()
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
        FONTCONFIG_PATH: unpacked.fonts,
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

async function unpack(): Promise<Unpacked> {
  const { version } = JSON.parse(await readFile(new URL('package.json', packed), 'utf8')) as { version: string }
  const folder = join(tmpdir(), `stint-chromium-${version}-${process.getuid?.() ?? 0}`)
  if (!existsSync(folder)) await unpackInto(folder)
  return { program: join(folder, 'chromium'), libraries: join(folder, 'al2023', 'lib'), fonts: join(folder, 'fonts') }
}

/** Into a folder of its own first, renamed when complete: files of a run that was killed are never taken for whole. */
async function unpackInto(folder: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  const archives = fileURLToPath(new URL('bin', packed))
  const half = await mkdtemp(`${folder}-`)
  const before = process.env.TMPDIR
  // The package unpacks into the folder for temporary files, whichever that is when it is called.
  process.env.TMPDIR = half
  try {
    const names = await readdir(archives)
    await Promise.all(
      names.filter((name) => !name.startsWith('swiftshader')).map((name) => inflate(join(archives, name))),
    )
    await rename(half, folder)
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    // Another file of the run was faster.
    if (!existsSync(folder)) throw error
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}
