import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../lib/theme.ts'
import '../styles/base.css'
import '../styles/forms.css'
import '../styles/app.css'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (root) createRoot(root).render(<StrictMode>{<App />}</StrictMode>)
