import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../lib/theme.ts'
import '../styles/base.css'
import '../styles/forms.css'
import '../styles/app.css'
import '../styles/worker.css'
import { WorkerApp } from './worker-app.tsx'

const root = document.getElementById('root')
if (root) createRoot(root).render(<StrictMode>{<WorkerApp />}</StrictMode>)
