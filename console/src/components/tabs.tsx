interface TabsProps<Name extends string> {
  label: string
  tabs: readonly { name: Name; words: string }[]
  current: Name
  hrefOf(name: Name): string
  onChoose(name: Name): void
}

/** Views of one thing, each with an address of its own: links, not buttons. */
export function Tabs<Name extends string>({ label, tabs, current, hrefOf, onChoose }: TabsProps<Name>) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ name, words }) => (
        <a
          key={name}
          href={hrefOf(name)}
          aria-current={name === current ? 'page' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            onChoose(name)
          }}
        >
          {words}
        </a>
      ))}
    </nav>
  )
}
