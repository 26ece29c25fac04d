import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import '../lib/theme.ts'
import '../styles/base.css'
import '../styles/forms.css'
import '../styles/app.css'
import '../styles/schema.css'
import { Outlet, Pages, startRouter } from '../lib/router.tsx'
import { dialogs } from './dialogs.tsx'
import { fields } from './fields.tsx'
import { rows } from './rows.tsx'
import { words } from './words.tsx'

/** Parts of a page by the name of the file that each is in. */
export type Demos = Readonly<Record<string, ReactNode>>

const parts: readonly [title: string, demos: Demos][] = [
  ['Words and states', words],
  ['Fields', fields],
  ['Lists', rows],
  ['Dialogs', dialogs],
]

/** Every component of the console in its states, for who builds pages with them. It is no part of what is installed. */
function Demo() {
  return (
    <main className="demo">
      <h1>Components</h1>
      {parts.map(([title, demos]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          {Object.entries(demos).map(([name, demo]) => (
            <section key={name} className="panel" data-demo={name} aria-label={name}>
              <h3>
                <code>{name}</code>
              </h3>
              {demo}
            </section>
          ))}
        </section>
      ))}
    </main>
  )
}

const router = startRouter([{ path: '/demo', Page: Demo, preload: async () => undefined }], {
  ...{ frame: Outlet, pending: () => null, broken: () => null, nowhere: () => null },
})
const root = document.getElementById('root')
if (root) createRoot(root).render(<Pages router={router} />)
