import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Beside each text a `.br` and a `.gz`, so that the service compresses nothing while it answers. */
function compressed(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir)
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true })
      for (const name of names.filter((one) => /\.(js|css|html|svg)$/.test(one))) {
        const bytes = await readFile(join(folder, name))
        await writeFile(join(folder, `${name}.br`), brotliCompressSync(bytes))
        await writeFile(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

/** The pages that are installed; with `--mode demo` the page that shows the components by themselves, for who works on them. */
const entries = { production: ['app', 'auth', 'worker'], demo: ['demo'] }

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // For the test of the budgets.
    manifest: true,
    target: 'es2023',
    // The content security policy allows neither inline scripts nor data: in scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(
        entries[mode === 'demo' ? 'demo' : 'production'].map((name) => [
          name,
          join(import.meta.dirname, `${name}.html`),
        ]),
      ),
    },
  },
}))
