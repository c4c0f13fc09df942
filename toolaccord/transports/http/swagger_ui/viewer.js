// Shows the description of the server that this page comes from, and asks nobody else.
window.addEventListener("load", () => {
  window.SwaggerUIBundle({
    url: "openapi.json",
    dom_id: "#viewer",
    deepLinking: true,
    displayRequestDuration: true,
    validatorUrl: null,
  });
});
