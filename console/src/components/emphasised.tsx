/** Words of the service in which `**…**` stands for what deserves a second look. */
export function Emphasised({ text }: { text: string }) {
  const parts = text.split('**')
  // The parts of one fixed text never move, so their place is their name.
  return <span>{parts.map((part, place) => (place % 2 === 1 ? <strong key={part}>{part}</strong> : part))}</span>
}
