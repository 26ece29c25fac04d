import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Static } from '#core/schema/schema.ts'
import type { InvoiceAnswer } from './invoice.ts'

type Invoice = Static<typeof InvoiceAnswer>
type Line = Invoice['lines'][number]
type Party = Invoice['supplier'] & { registration_number?: string | null }
type Page = PDFKit.PDFDocument

/**
 * A font without its tables of ligatures and kerning, which would be read anew for each invoice: 20 instead of 160 ms.
 * The names of tables stand behind the first 12 bytes of the file, 16 bytes apart; one of an unknown name is not read.
 */
function fontOf(name: string): Buffer {
  const font = readFileSync(fileURLToPath(import.meta.resolve(`@expo-google-fonts/noto-sans/${name}.ttf`)))
  const tables = font.readUInt16BE(4)
  for (let at = 12; at < 12 + tables * 16; at += 16) {
    if (['GPOS', 'GSUB', 'GDEF'].includes(font.toString('latin1', at, at + 4))) font.write('none', at, 'latin1')
  }
  return font
}
let fonts: { regular: Buffer; bold: Buffer } | undefined

/** Shown where a value is withheld, or where there is none. */
const dash = '–'

const left = 50
const right = 545
const bottom = 755
const grey = '#5b6470'

/** Columns of the table of lines: where each begins, how wide it is, and on which side its text stands. */
const columns = {
  description: { x: left, width: 215, align: 'left' },
  period: { x: 270, width: 75, align: 'left' },
  quantity: { x: 345, width: 50, align: 'right' },
  unit_price: { x: 395, width: 75, align: 'right' },
  amount: { x: 470, width: 75, align: 'right' },
} as const
type Cells = Record<keyof typeof columns, string>

const line_type_words: Partial<Record<Line['type'], string>> = { fixed_rate: 'Fixed rate', timesheet: 'Timesheet' }

/**
 * The invoice on A4 as it was issued. Its bytes follow from what is shown alone: dates inside are that of issue, and
 * statuses, which change, are left out.
 */
export async function pdfOf(invoice: Invoice): Promise<Uint8Array> {
  // Imported here: in both threads the library holds 28 MiB, and most processes never make an invoice's document.
  const { default: PDFDocument } = await import('pdfkit')
  fonts ??= {
    regular: fontOf('400Regular/NotoSans_400Regular'),
    bold: fontOf('700Bold/NotoSans_700Bold'),
  }
  const issued = new Date(`${invoice.issue_date}T00:00:00.000Z`)
  const info = { Title: invoice.number, Creator: 'Stint', Producer: 'Stint', CreationDate: issued, ModDate: issued }
  // The first page is added after the fonts, since the built-in ones would be read for it.
  const page = new PDFDocument({ size: 'A4', margin: left, info, lang: 'en', autoFirstPage: false, bufferPages: true })
  const chunks: Buffer[] = []
  page.on('data', (chunk: Buffer) => chunks.push(chunk))
  const written = new Promise((resolve, reject) => page.on('end', resolve).on('error', reject))
  page.registerFont('regular', fonts.regular).registerFont('bold', fonts.bold)
  page.addPage()
  writeHead(page, invoice)
  writeLines(page, invoice)
  writeTotals(page, invoice)
  writePageNumbers(page, invoice)
  page.end()
  await written
  return Buffer.concat(chunks)
}

function writeHead(page: Page, { number, issue_date, due_date, period_start, period_end, ...invoice }: Invoice): void {
  page.font('bold').fontSize(20).fillColor('black').text(`Invoice ${number}`, left, left)
  const facts = [
    ['Issued', issue_date],
    ['Due', due_date],
    ...(period_start && period_end ? [['Period', `${period_start} to ${period_end}`]] : []),
  ]
  page.moveDown(0.4)
  for (const [name = '', value = ''] of facts) {
    page.font('regular').fontSize(9).fillColor(grey).text(`${name}  `, left, page.y, { continued: true })
    page.fillColor('black').text(value)
  }
  const top = page.y + 22
  const ends = [
    writeParty(page, 'From', invoice.supplier, left, top),
    writeParty(page, 'To', invoice.customer, 310, top),
  ]
  page.y = Math.max(...ends) + 24
}

/** Answers where it ends. */
function writeParty(page: Page, title: string, party: Party | Invoice['customer'], x: number, y: number): number {
  const { name, country, address, vat_id } = party
  const registration = 'registration_number' in party ? party.registration_number : null
  const city = address && [address.postal_code, address.city].filter(Boolean).join(' ')
  const rows = [
    ...(address ? [address.line_1, address.line_2, city, address.region] : [dash]),
    address?.country ?? country,
    ...(registration ? [`Registration ${registration}`] : []),
    `VAT ID ${vat_id ?? dash}`,
  ]
  page.font('regular').fontSize(8).fillColor(grey).text(title, x, y, { width: 230 })
  page.font('bold').fontSize(10).fillColor('black').text(name, { width: 230 })
  page.font('regular').fontSize(9)
  for (const row of rows) if (row) page.text(row, { width: 230 })
  return page.y
}

function writeLines(page: Page, { lines, currency }: Invoice): void {
  const head = { description: 'Description', period: 'Period', quantity: 'Quantity' }
  const named = { ...head, unit_price: `Price ${currency}`, amount: `Amount ${currency}` }
  writeHeadRow(page, named)
  for (const line of lines) {
    const { description, type, is_taxable, quantity, unit_price, amount } = line
    const kind = line_type_words[type] ?? `${type[0]?.toUpperCase()}${type.slice(1)}`
    const cells = {
      description: `${description}\n${kind}${is_taxable ? '' : ', without VAT'}`,
      period: periodOf(line),
      quantity,
      unit_price: unit_price ?? dash,
      amount: amount ?? dash,
    }
    page.font('regular').fontSize(9)
    if (page.y + heightOf(page, cells) > bottom) {
      page.addPage()
      writeHeadRow(page, named)
    }
    writeRow(page, cells)
  }
}

function periodOf({ period_start, period_end }: Line): string {
  if (period_start === null || period_end === null || period_start === period_end) return period_start ?? ''
  return `${period_start}\n${period_end}`
}

function writeHeadRow(page: Page, cells: Cells): void {
  page.font('bold').fontSize(8).fillColor(grey)
  writeRow(page, cells)
  page.font('regular').fontSize(9).fillColor('black')
}

/** A longer description is cut off; the invoice itself has it whole. */
const cell_height_max = 260

function heightOf(page: Page, cells: Cells): number {
  const heights = cellsOf(cells).map(({ text, width }) => page.heightOfString(text, { width }))
  return Math.min(Math.max(...heights), cell_height_max) + 8
}

function writeRow(page: Page, cells: Cells): void {
  const [top, height] = [page.y, heightOf(page, cells)]
  for (const { text, x, width, align } of cellsOf(cells)) {
    page.text(text, x, top, { width, align, height: cell_height_max, ellipsis: true })
  }
  page.y = top + height
  page
    .moveTo(left, page.y - 4)
    .lineTo(right, page.y - 4)
    .lineWidth(0.5)
    .strokeColor('#d5d9de')
    .stroke()
}

function cellsOf(cells: Cells) {
  // The cast gives the keys their names back.
  const names = Object.keys(columns) as (keyof Cells)[]
  return names.map((name) => ({ text: cells[name], ...columns[name] }))
}

function writeTotals(
  page: Page,
  { subtotal, taxable_base, vat_rate, vat_total, total, currency, ...invoice }: Invoice,
) {
  const rows = [
    ['Subtotal', subtotal],
    ...(taxable_base === subtotal ? [] : [['Subject to VAT', taxable_base]]),
    [`VAT ${vat_rate === null || invoice.reverse_charge ? '' : `${vat_rate} %`}`, vat_total],
    ['Total', total],
  ]
  if (page.y + rows.length * 18 + 40 > bottom) page.addPage()
  page.y += 10
  for (const [name = '', value] of rows) {
    const top = page.y
    page.font(name === 'Total' ? 'bold' : 'regular').fontSize(name === 'Total' ? 11 : 9)
    page.text(name ?? '', 310, top, { width: 110 })
    page.text(`${value ?? dash} ${currency}`, 420, top, { width: right - 420, align: 'right' })
    page.y = top + 18
  }
  if (!invoice.reverse_charge) return
  page
    .font('regular')
    .fontSize(9)
    .text('Reverse charge: the recipient of the service owes the VAT.', left, page.y + 10)
}

function writePageNumbers(page: Page, { number }: Invoice): void {
  const { start, count } = page.bufferedPageRange()
  for (let at = 0; at < count; at += 1) {
    page.switchToPage(start + at)
    page.font('regular').fontSize(8).fillColor(grey)
    page.text(`${number} · ${at + 1} of ${count}`, left, 775, { width: right - left, align: 'right', lineBreak: false })
  }
}
