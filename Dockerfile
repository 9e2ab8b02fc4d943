# Unloop on Node 24: the program, with its dependencies inside, and nothing else.

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build.mjs scripts/config-descriptions.json ./scripts/
COPY src ./src
RUN node scripts/build.mjs dist --cli

FROM node:24-slim
ENV NODE_ENV=production UNLOOP_HOST=0.0.0.0
WORKDIR /app
COPY package.json LICENSE ./
COPY docs/openapi.json ./docs/
COPY --from=build /build/docs ./docs
COPY --from=build /build/dist ./dist
USER node
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.UNLOOP_PORT || 8787}/unloop/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/cli.js"]
CMD ["serve"]
