import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import icon from './icon.svg'
import { Console } from './shell/console.tsx'
import { Router } from './shell/router.ts'
import { applyTheme } from './shell/theme.ts'
import { cache } from './wire/queries.ts'
import { speak } from './words/words.ts'

applyTheme()
await speak(navigator.languages)
const root = document.getElementById('root')
if (root && icon)
  createRoot(root).render(
    <QueryClientProvider client={cache}>
      <Router>
        <Console />
      </Router>
    </QueryClientProvider>,
  )
