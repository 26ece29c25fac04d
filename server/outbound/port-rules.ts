/** Inclusive ranges of ports, for example [[443, 443], [1024, 65535]]. */
export type PortRanges = readonly (readonly [number, number])[]

/** U3: ports no setting opens. First the WHATWG Fetch bad ports (https://fetch.spec.whatwg.org/#port-blocking), */
const BAD_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]
/** then databases, queues, caches, container and cluster control that answer HTTP or skip what they do not understand. */
const INFRASTRUCTURE_PORTS = [
  1433, 1521, 2375, 2376, 2379, 2380, 3306, 5432, 5672, 6379, 9042, 9092, 9200, 9300, 10250, 11211, 27017,
]
const NEVER_OPENED: ReadonlySet<number> = new Set([...BAD_PORTS, ...INFRASTRUCTURE_PORTS])

/** Whether no setting can open this port. */
export const isPortNeverOpened = (port: number): boolean => NEVER_OPENED.has(port)

/** Whether a receiver may listen on this port (U3). */
export const isPortAllowed = (port: number, policy: { allowed_ports: PortRanges }): boolean =>
  !NEVER_OPENED.has(port) && policy.allowed_ports.some(([first, last]) => port >= first && port <= last)

/** Reads WEBHOOK_ALLOWED_PORTS, for example `443,1024-65535`. Throws for anything else. */
export function parsePortRanges(text: string): PortRanges {
  return text.split(',').map((part) => {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim())
    const first = Number(match?.[1])
    const last = Number(match?.[2] ?? match?.[1])
    if (!match || first < 1 || last > 65_535 || first > last)
      throw new Error(`WEBHOOK_ALLOWED_PORTS: "${part.trim()}" is not a port or a range such as 1024-65535`)
    return [first, last] as const
  })
}
