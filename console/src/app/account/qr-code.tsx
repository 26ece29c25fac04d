import qrcode from 'qrcode-generator'

/** Light modules around the code, without which readers miss it (ISO/IEC 18004). */
const quiet_modules = 4

/** A QR code as one path; always dark on light, since not every reader takes the reverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const numbers = Array.from({ length: count }, (_, index) => index)
  const dark = numbers.flatMap((row) =>
    numbers.filter((column) => code.isDark(row, column)).map((column) => [column, row]),
  )
  const path = dark.map(([x = 0, y = 0]) => `M${x + quiet_modules} ${y + quiet_modules}h1v1h-1z`).join('')
  const size = count + 2 * quiet_modules
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} width="208" height="208" role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
