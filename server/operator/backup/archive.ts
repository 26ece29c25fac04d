import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, link, open, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * The archive: a tar file of small files, each compressed by itself, so that its parts have their size before they are
 * written and the tools of every system read it. The last one, SHA256SUMS, has the checksum of every other. The reader accepts the exact
 * bytes that the writer makes, so that a flipped byte is found wherever it lies, in a header or between two files too.
 */

/** The file is no archive of ours, or not the one that was written; `message` says which. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault'
}

const sums_name = 'SHA256SUMS'
const block_bytes = 512
const end_bytes = 2 * block_bytes

export interface ArchiveWriter {
  add(name: string, content: Buffer): Promise<void>
  /** Puts the archive in its place, on disk. Answers its size. */
  finish(): Promise<number>
  /** Removes what was written; nothing after `finish`. */
  discard(): Promise<void>
}

/** Writes beside `path`, where the archive appears when it is whole; never over another file. */
export async function createArchive(path: string, made_at_s: number): Promise<ArchiveWriter> {
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.partial`)
  const file = await open(partial, 'wx', 0o600)
  const sums: string[] = []
  let written_bytes = 0
  let is_open = true
  const write = async (bytes: Buffer) => {
    await file.appendFile(bytes)
    written_bytes += bytes.length
  }
  const add = async (name: string, content: Buffer) => {
    await write(headerOf(name, content.length, made_at_s))
    await write(content)
    await write(Buffer.alloc(paddingOf(content.length)))
    sums.push(`${hash('sha256', content)}  ${name}\n`)
  }
  const discard = async () => {
    if (!is_open) return
    is_open = false
    await file.close()
    await unlink(partial)
  }
  return {
    add,
    async finish() {
      await add(sums_name, Buffer.from(sums.join('')))
      await write(Buffer.alloc(end_bytes))
      await file.sync()
      // A link is refused where a file of the name exists; a rename would replace it.
      await link(partial, path)
      await discard()
      await syncFolder(dirname(path))
      return written_bytes
    },
    discard,
  }
}

export interface Archive {
  readonly bytes: number
  /** Every file but the sums, in their order. */
  readonly names: readonly string[]
  /** The content of a file, whose checksum is right. */
  read(name: string): Promise<Buffer>
  close(): Promise<void>
}

interface Entry {
  name: string
  offset: number
  bytes: number
}

/** Reads the headers of an archive and its sums. Throws `ArchiveFault`. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const entries = await entriesOf(file, size)
    const sums = await sumsOf(file, entries)
    return {
      bytes: size,
      names: [...sums.keys()],
      async read(name) {
        const entry = entries.find((one) => one.name === name)
        if (!entry) throw new ArchiveFault(`the archive lacks ${name}`)
        const content = await readAt(file, entry.offset, entry.bytes)
        if (hash('sha256', content) !== sums.get(name)) {
          throw new ArchiveFault(`${name} in the archive is damaged: its checksum is another one`)
        }
        return content
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function entriesOf(file: FileHandle, size: number): Promise<Entry[]> {
  const entries: Entry[] = []
  let offset = 0
  for (;;) {
    if (offset + block_bytes > size) throw cutOr(entries)
    const header = await readAt(file, offset, block_bytes)
    if (header.every((byte) => byte === 0)) break
    const { name, bytes, made_at_s } = fieldsOf(header)
    if (!header.equals(headerOf(name, bytes, made_at_s))) {
      throw entries.length === 0
        ? new ArchiveFault('the file is no backup of Stint')
        : new ArchiveFault(`the archive is damaged behind ${entries.at(-1)?.name}`)
    }
    offset += block_bytes
    const padding = paddingOf(bytes)
    if (offset + bytes + padding > size) throw cutOr([{ name, offset, bytes }])
    const between = await readAt(file, offset + bytes, padding)
    if (between.some((byte) => byte !== 0)) throw new ArchiveFault(`the archive is damaged behind ${name}`)
    entries.push({ name, offset, bytes })
    offset += bytes + padding
  }
  if (entries.length === 0) throw cutOr(entries)
  const end = await readAt(file, offset, Math.min(size - offset, end_bytes + 1))
  if (end.length < end_bytes) throw cutOr(entries)
  if (end.length > end_bytes || end.some((byte) => byte !== 0))
    throw new ArchiveFault('the archive is damaged at its end')
  return entries
}

const cutOr = (before: readonly unknown[]) =>
  new ArchiveFault(before.length === 0 ? 'the file is no backup of Stint' : 'the archive is cut: its end is missing')

/** The sums by name, which are of exactly the files before them. */
async function sumsOf(file: FileHandle, entries: readonly Entry[]): Promise<Map<string, string>> {
  const last = entries.at(-1)
  if (last?.name !== sums_name) throw new ArchiveFault('the file is no backup of Stint: it has no SHA256SUMS')
  const lines = (await readAt(file, last.offset, last.bytes)).toString('latin1').split('\n')
  const sums = new Map(lines.slice(0, -1).map((line) => [line.slice(66), line.slice(0, 64)]))
  const names = entries.slice(0, -1).map(({ name }) => name)
  const expected = names.map((name) => `${sums.get(name)}  ${name}`)
  if (lines.join('\n') !== [...expected, ''].join('\n')) throw new ArchiveFault('SHA256SUMS in the archive is damaged')
  return sums
}

async function readAt(file: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const content = Buffer.alloc(bytes)
  let read = 0
  while (read < bytes) {
    const { bytesRead } = await file.read(content, read, bytes - read, offset + read)
    if (bytesRead === 0) throw new ArchiveFault('the archive is cut: its end is missing')
    read += bytesRead
  }
  return content
}

const paddingOf = (bytes: number) => (block_bytes - (bytes % block_bytes)) % block_bytes

/** The header of a plain file by POSIX (ustar), readable by its owner only. */
function headerOf(name: string, bytes: number, made_at_s: number): Buffer {
  const header = Buffer.alloc(block_bytes)
  header.write(name, 0, 100, 'utf8')
  header.write('0000600\x000000000\x000000000\x00', 100)
  header.write(`${octal(bytes, 11)}\x00${octal(made_at_s, 11)}\x00        0`, 124)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\x00 `, 148)
  return header
}

function fieldsOf(header: Buffer) {
  const name = header.subarray(0, 100).toString('utf8').replace(/\0.*$/s, '')
  const number = (from: number) => Number.parseInt(header.toString('latin1', from, from + 11), 8) || 0
  return { name, bytes: number(124), made_at_s: number(136) }
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder and needs no such call.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
