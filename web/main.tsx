import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLocale } from './i18n/locale.ts'
import { queryClient, router } from './router.ts'
import { SessionProvider } from './session.tsx'
import './styles/index.css'

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  // the page's own chunk comes while the texts do
  void router.load()
  await startLocale()
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}

void start()
